import { writeFileSync } from 'node:fs'
import { generate } from '#client/generate.ts'
import { serviceDocument } from '#functions/docs/service-document.ts'
import { inRepository } from '../in-repository.ts'

/** `npm run client` generates the client from the declarations; `npm run client -- <file>` writes it to a file elsewhere. */
const [, , file = inRepository('packages/client/client.ts')] = process.argv
writeFileSync(file, generate(serviceDocument()))
