import { apiFunctions } from './api-functions.ts'
import type { FunctionDeclaration } from './declaration.ts'
import { workerFunctions } from './worker-functions.ts'

/** The list of all Lambdas. Routes, rights, schedules and the local environment come from it. */
export const manifest: readonly FunctionDeclaration[] = [...apiFunctions, ...workerFunctions]

export const bucketRights = Object.fromEntries(manifest.map(({ name, needs }) => [name, needs.bucket]))

/** The paths of a function. No other function has one of them, so it knows all their methods (G19). */
export function pathsOf({ endpoints = {} }: Pick<FunctionDeclaration, 'endpoints'>): string[] {
  return [...new Set(Object.values(endpoints).map(({ path }) => path))]
}

/** Every endpoint of the service with its operation name and the function that serves it. */
export const allEndpoints = manifest.flatMap((declaration) =>
  Object.entries(declaration.endpoints ?? {}).map(([operation, endpoint]) => ({
    operation,
    endpoint,
    function: declaration,
  })),
)
