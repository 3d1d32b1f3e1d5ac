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
    ['GET', '/cases/7', '/cases/{id}', { id: '7' }],
    ['GET', '/cases/7/', '/cases/{id}', { id: '7' }],
    ['POST', '/cases/bulk', '/cases/bulk', null],
    ['GET', '/cases/bulk', '/cases/bulk', null],
    ['HEAD', '/cases/7', '/cases/{id}', { id: '7' }],
    ['OPTIONS', '/cases/7', '/cases/{id}', { id: '7' }],
    ['GET', '/cases/7/links/all', '/cases/{id}/links/all', { id: '7' }],
    ['GET', '/cases/new/links/all', '/cases/new/links/{link_id}', { link_id: 'all' }],
    ['GET', '/', '/', null],
  ])('%s %s goes to %s', (method, path, resource, pathParameters) => {
    const match = findRoute(method, path)

    expect(match?.route.path).toBe(resource)
    expect(match?.pathParameters).toEqual(pathParameters)
  })

  test.each([
    ['PROPFIND', '/cases/7'],
    ['GET', '/cases'],
    ['GET', '/cases//'],
    ['GET', '/cases//links/1'],
    ['GET', '/cases/7/links/1/2'],
    ['GET', 'cases/7'],
    ['GET', '*'],
    ['get', '/cases/7'],
  ])('%s %s is no route', (method, path) => {
    expect(findRoute(method, path)).toBeUndefined()
  })

  test.each([
    ['/cases/M%C3%BCller%2F2', 'Müller/2'],
    ['/cases/%', '%'],
    ['/cases/%zz', '%zz'],
    ['/cases/%ff', '%ff'],
    ['/cases/__proto__', '__proto__'],
  ])('the placeholder in %s stands for %s', (path, id) => {
    expect(findRoute('GET', path)?.pathParameters).toEqual({ id })
  })
})
