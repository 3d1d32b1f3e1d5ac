import { describe, expect, test } from 'vitest'
import { findRouteAmong } from '#infra/local/find-route.ts'
import { localFunction } from '#test/support/local-function.ts'

const findRoute = findRouteAmong([
  localFunction(
    [
      '/cases/{id}',
      '/cases/bulk',
      '/cases/{id}/links/{link_id}',
      '/cases/{id}/links/all',
      '/cases/new/links/{link_id}',
      '/',
    ],
    () => undefined,
  ),
])

describe('a route is found as a REST API finds it', () => {
  test.each([
    ['/cases/7', '/cases/{id}', { id: '7' }],
    ['/cases/7/', '/cases/{id}', { id: '7' }],
    ['/cases/bulk', '/cases/bulk', null],
    ['/cases/7/links/all', '/cases/{id}/links/all', { id: '7' }],
    ['/cases/new/links/all', '/cases/new/links/{link_id}', { link_id: 'all' }],
    ['/', '/', null],
  ])('%s goes to %s', (path, resource, pathParameters) => {
    const match = findRoute(path)

    expect(match?.route.path).toBe(resource)
    expect(match?.pathParameters).toEqual(pathParameters)
  })

  test.each([
    ['/cases'],
    ['/cases//'],
    ['/cases//links/1'],
    ['/cases/7/links/1/2'],
    ['cases/7'],
    ['*'],
  ])('%s is no route', (path) => {
    expect(findRoute(path)).toBeUndefined()
  })

  test.each([
    ['/cases/M%C3%BCller%2F2', 'Müller/2'],
    ['/cases/%', '%'],
    ['/cases/%zz', '%zz'],
    ['/cases/%ff', '%ff'],
    ['/cases/__proto__', '__proto__'],
  ])('the placeholder in %s stands for %s', (path, id) => {
    expect(findRoute(path)?.pathParameters).toEqual({ id })
  })
})
