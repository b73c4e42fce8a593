// How likely chance alone is to reach a value: upper tails of the distributions that the detector uses.
#pragma once

namespace evenkeel {

/// P(Z > z) of the standard normal distribution.
double normal_tail(double z);

/// P(T > t) of Student's distribution. Wallace's approximation: within 3 % of the truth from 6 degrees of
/// freedom on for chances down to 1e-4, within 15 % down to 1e-7.
double student_tail(double t, double degrees_of_freedom);

/// The chance that two independent uniform chances have a product of a * b or less: what two pieces of
/// evidence are worth together (Fisher's method, for two).
double chance_of_both(double a, double b);

}  // namespace evenkeel
