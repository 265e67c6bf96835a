// Every family, one function a file.
#pragma once

#include "rules/rule_book.h"

namespace flipsat::rules {

Family gather_convert();
Family gather_reshape();
Family gather_elementwise();
Family gather_dynamic_slice();
Family reduce_convert();
Family scatter_transpose();

Family reduce_own_shard();
Family gather_own_shard();
Family collective_of_one();

Family reduce_sum();
Family reduce_scale();

Family convert_convert();
Family reshape_reshape();
Family transpose_transpose();
Family whole_slice();
Family tuple_element();

}  // namespace flipsat::rules
