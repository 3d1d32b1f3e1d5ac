/** The refusal of a path that no endpoint has. The gateway and the functions answer the same. */
export const routeNotFound = {
  code: 'ROUTE_NOT_FOUND',
  message: 'This path does not exist, or not with this method.',
} as const
