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

Family gather_transpose();
Family gather_slice();
Family gather_broadcast();
Family gather_reverse();
Family gather_pad();
Family gather_concatenate();
Family gather_dynamic_update_slice();
Family gather_reduce_dims();
Family gather_reduce_own_dim();
Family reduce_transpose();
Family reduce_reshape();
Family reduce_slice();
Family reduce_dynamic_slice();
Family reduce_broadcast();
Family reduce_reverse();
Family reduce_pad();
Family reduce_concatenate();
Family reduce_dynamic_update_slice();
Family reduce_select();
Family reduce_reduce_dims();

Family reduce_own_shard();
Family gather_own_shard();
Family reduce_scatter_gather();
Family reduce_reduce();
Family scatter_reduce();
Family scatter_scatter();
Family gather_gather();
Family gather_reduce();
Family collective_of_one();
Family collective_of_uniform();

Family reduce_update();
Family reduce_sum();
Family reduce_scale();

// One for each operation that a permute, or an all-to-all, passes.
std::vector<Family> permute_operations();
std::vector<Family> all_to_all_operations();
Family permute_permute();
Family permute_of_uniform();
Family permute_sum();
Family all_to_all_inverse();
Family all_to_all_of_uniform();

Family gather_dot();
Family gather_dot_contracted();
Family reduce_dot();
Family dot_transpose();

Family convert_convert();
Family reshape_reshape();
Family transpose_transpose();
Family slice_slice();
Family broadcast_broadcast();
Family reverse_reverse();
Family pad_nothing();
Family whole_slice();
Family tuple_element();
Family zero_times();

}  // namespace flipsat::rules
