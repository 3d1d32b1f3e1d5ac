/**
 * Stands in for `node:http` in middy's utilities, which need its names of status codes only. To import `node:http` makes Node
 * load its client for fetch, which takes a cold start 15 ms or more; the functions call AWS by `node:https`.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
