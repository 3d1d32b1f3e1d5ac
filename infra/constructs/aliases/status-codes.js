/**
 * Stands in for `node:http` in middy's utilities, which need only its names of status codes. Importing `node:http`
 * makes Node load its fetch client: 9 to 11 % more CPU time of a cold start in the functions that take forms, measured
 * with TLS as on AWS. The bundles of other functions do not have this import. The functions call AWS with `node:https`.
 */
export const { STATUS_CODES } = process.getBuiltinModule('node:http')
