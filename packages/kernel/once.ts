/**
 * Calls `make` once for each argument, at the first request for it, and returns the same value from then on. For
 * values that are expensive to make, such as schemas.
 */
export function once<Made, Argument = void>(
  make: (argument: Argument) => Made,
): (argument: Argument) => Made {
  const made = new Map<Argument, Made>()
  return (argument) => {
    const shared = made.get(argument) ?? make(argument)
    made.set(argument, shared)
    return shared
  }
}
