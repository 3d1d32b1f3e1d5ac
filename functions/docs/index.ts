import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { OpenApiDocument } from '#http/openapi/types.ts'
import { serve } from '#http/serve.ts'
import { createLog } from '#kernel/log.ts'
import * as endpoints from './endpoints.ts'

export const handler = serve(endpoints, {
  services: { document, script },
  authenticate: () => Promise.reject(new Error('The docs group has public endpoints only.')),
  log: createLog('docs'),
})

/**
 * The document is loaded on request, since the page does not need it. The deployed bundle contains the finished
 * document.
 */
async function document(): Promise<OpenApiDocument> {
  const { serviceDocument } = await import('./service-document.ts')
  return serviceDocument()
}

/** Scalar's browser build: beside the bundle if it is deployed, otherwise in its package. */
async function script(): Promise<string> {
  const deployed = new URL('standalone.js', import.meta.url)
  return readFile(deployed, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    const entry = createRequire(import.meta.url).resolve('@scalar/api-reference')
    return readFile(entry.replace(/index\.js$/, 'browser/standalone.js'), 'utf8')
  })
}
