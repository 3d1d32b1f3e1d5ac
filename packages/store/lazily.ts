/**
 * An object that is created at the first use of a property. ElectroDB checks the model of an entity when it is created,
 * which takes milliseconds. So a Lambda that has just started creates only the entities that its first request needs.
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
