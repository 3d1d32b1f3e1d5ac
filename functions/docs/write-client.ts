import { writeFileSync } from 'node:fs'
import { generate } from '#client/generate.ts'
import { serviceDocument } from './service-document.ts'

// `npm run client`: the client follows the declarations.
writeFileSync(new URL('../../packages/client/client.ts', import.meta.url), generate(serviceDocument()))
