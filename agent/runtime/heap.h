// What the process does with memory that it has freed.
#pragma once

namespace evenkeel::runtime {

/// Once, before there is any other thread: freed memory goes back to the kernel, and all threads share one
/// heap. By itself the C library keeps more the larger the blocks were that a program has used for a moment:
/// of a list of pods, or of a page of the endpoint.
void keep_heap_small();

/// Gives back the free pages between what is in use. Takes a millisecond or so: not in each tick.
void trim_heap();

/// Once: from then on the process says so and aborts where operator new finds no memory, as it does by itself
/// where nothing catches std::bad_alloc. Libraries that ask with std::nothrow do not all look at what they
/// get: simdjson 3.0 writes through the null pointer.
void abort_without_memory();

}  // namespace evenkeel::runtime
