// How likely chance alone is to reach a value: upper tails of the distributions that the detector uses.
#pragma once

namespace evenkeel::detector {

/// P(Z > z) of the standard normal distribution.
double normal_tail(double z);

/// P(T > t) of Student's distribution, by Wallace's approximation. Too large by at most 2 % for 28 degrees of
/// freedom down to 1e-6, by 11 % for 6 down to 1e-4. 1 without any degree of freedom.
double student_tail(double t, double degrees_of_freedom);

/// The chance that two independent uniform chances have a product of a * b or less: what two pieces of
/// evidence are worth together (Fisher's method, for two).
double chance_of_both(double a, double b);

}  // namespace evenkeel::detector
