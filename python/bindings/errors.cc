// What C++ throws, as the exceptions of flipsat._errors.
#include "egraph/io/input_error.h"
#include "hlo/input_error.h"
#include "optimizer/optimize.h"
#include "python/bindings/bindings.h"
#include "python/bindings/strings.h"
#include "tools/usage_error.h"

namespace flipsat::python {
namespace {

void raise(const char* type, const std::string& message) {
  const nb::object error = nb::module_::import_("flipsat._errors").attr(type);
  PyErr_SetObject(error.ptr(), to_str(message).ptr());
}

template <class Place>
void raise_at(const Place& place, const std::string& message) {
  const nb::object error = nb::module_::import_("flipsat._errors").attr("InputError");
  const nb::object made = error(to_str(message), to_str(place.file), place.line, place.column);
  PyErr_SetObject(error.ptr(), made.ptr());
}

// What is not caught here is nanobind's business.
void translate(const std::exception_ptr& thrown, void* /*unused*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const hlo::InputError& error) {
    raise_at(error.place(), error.message());
  } catch (const egraph::InputError& error) {
    raise_at(error.place(), error.message());
  } catch (const tools::UsageError& error) {
    raise("UsageError", error.what());
  } catch (const optimizer::VerificationFailed& error) {
    raise("VerificationFailed", error.what());
  } catch (const nb::builtin_exception&) {
    throw;
  } catch (const std::logic_error& error) {
    raise("InternalError", error.what());
  } catch (const std::runtime_error& error) {
    raise("InternalError", error.what());
  }
}

}  // namespace

void bind_errors(nb::module_& /*core*/) { nb::register_exception_translator(translate); }

}  // namespace flipsat::python
