import { readFileSync } from 'node:fs'
import { sealer } from '#sealing/sealer.ts'
import { keySigner } from '#sealing/signer.ts'

/**
 * Seals one document: `document.pdf` of the folder of the first argument, with the key and the certificates that lie there.
 * Writes `SealingRun` as JSON. It is bundled, so that nothing else uses memory.
 */
const folder = process.argv[2] ?? ''
const file = (name: string) => readFileSync(`${folder}/${name}`)
const signer = keySigner(file('key.pem').toString(), [file('certificate.der')])
const { seal } = sealer({ findSigner: async () => signer })
const startedAt = performance.now()
const { form } = await seal(file('document.pdf'), JSON.parse(file('certificate.json').toString()))
const run: SealingRun = {
  form,
  milliseconds: performance.now() - startedAt,
  peakMegabytes: peakMegabytes(),
}
console.log(JSON.stringify(run))

/** How a document was sealed in a new process, how long it took, and the memory of the process at its most. */
export type SealingRun = { form: string; milliseconds: number; peakMegabytes: number }

function peakMegabytes(): number {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return Number(kilobytes) / 1_024
  } catch {
    return process.resourceUsage().maxRSS / 1_024
  }
}
