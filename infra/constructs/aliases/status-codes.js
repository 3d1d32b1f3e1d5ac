/**
 * Stands in for `node:http` in middy's utilities, which need only its names of status codes. Importing `node:http`
 * makes Node load its fetch client, which costs a cold start 15 ms or more; the functions call AWS with `node:https`.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
