/**
 * The object, made when something of it is first used. Making an ElectroDB entity checks its model, which takes
 * milliseconds; so a function that has just started makes only those that its first request needs.
 */
export function lazily<Made extends object>(make: () => Made): Made {
  let made: Made | undefined
  return new Proxy({} as Made, {
    get: (_, name) => {
      made ??= make()
      const value: unknown = Reflect.get(made, name)
      return typeof value === 'function' ? value.bind(made) : value
    },
  })
}
