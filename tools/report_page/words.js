"use strict";
// Figures as people read them: the same words as in the table of the command line.

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const PROGRAMS = ["input", "greedy", "output"];

function trimmed(value, decimals) {
  const text = value.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

function threeDigits(value, more) {
  const size = Math.abs(value);
  return trimmed(value, (size < 10 ? 2 : size < 100 ? 1 : 0) + more);
}

// Microseconds.
function readableTime(value, more = 0) {
  const size = Math.abs(value);
  if (size < 1e3) return threeDigits(value, more) + " us";
  if (size < 1e6) return threeDigits(value / 1e3, more) + " ms";
  return threeDigits(value / 1e6, more) + " s";
}

function readableBytes(value, more = 0) {
  if (value === 0) return "0";
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit + 1 < UNITS.length) {
    value /= 1024;
    ++unit;
  }
  return threeDigits(value, more) + " " + UNITS[unit];
}

function readableCount(value) {
  return value.toLocaleString("en").replace(/,/g, "\u202f");  // thin spaces that do not break
}

const MOST_DIGITS_MORE = 3;  // the report for programs has all

// Figures that are compared: in so many digits that no two that differ read the same, within reason.
function toldApart(values, readable) {
  let texts = [];
  for (let digits = 0; digits <= MOST_DIGITS_MORE; ++digits) {
    texts = values.map((value) => readable(value, digits));
    if (new Set(texts).size === new Set(values).size) break;
  }
  return texts;
}

// "-26.9 %", "+3.1 %", "0 %"; nothing where `before` is 0 and `after` is not.
function readableChange(before, after) {
  if (before === after) return "0 %";
  if (before === 0) return "";
  const percent = 100 * (after - before) / before;
  if (Math.abs(percent) < 0.05) return percent < 0 ? "-<0.1 %" : "+<0.1 %";
  return (percent < 0 ? "-" : "+") + trimmed(Math.abs(percent), 1) + " %";
}

function readableGap(gap) {
  if (gap === 0) return "0 %";
  return gap < 0.00005 ? "<0.01 %" : (100 * gap).toFixed(2) + " %";
}

function counted(count, word, plural = word + "s") {
  return count === 1 ? "1 " + word : readableCount(count) + " " + plural;
}

// What was asked to be small, of a program, a bound or what looser numerics would reach.
const OBJECTIVES = {
  time: {words: "time", readable: readableTime, of: (program) => program.time_us,
         ofLooser: (looser) => looser.time_us, ofChange: (change) => change.time_us},
  bytes: {words: "wire bytes", readable: readableBytes, of: (program) => program.executed.wire_bytes,
          ofLooser: (looser) => looser.wire_bytes, ofChange: (change) => change.bytes},
  launches: {words: "launches", readable: readableCount, of: (program) => program.executed.launches,
             ofLooser: (looser) => looser.launches, ofChange: (change) => change.time_us},
};

const WHY_KEPT = {
  "cost": "it would cost more",
  "min-gain": "it gains less than --min-gain asks for",
  "peak": "the peak of live bytes would grow too much",
  "not checked": "it could not be checked",
  "not priced": "the work allowed was spent before it was priced",
};

// Characters that are not seen, or that turn the direction of text, are shown by their number.
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

function visible(text) {
  return String(text).replace(UNSEEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}
