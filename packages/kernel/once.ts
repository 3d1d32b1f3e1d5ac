/**
 * `make`, called once for each argument, when that is first asked for; what it gave is shared from then on. For what
 * takes longer to make than to use, such as a schema.
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
