import { globSync, readFileSync } from 'node:fs'
import { sealer } from '#sealing/sealer.ts'
import { keySigner } from '#test/sealing/key-signer.ts'

/**
 * Seals one document: `document.pdf` of the folder of the first argument, with the key and the certificates that lie there.
 * Writes `SealingRun` as JSON. It is bundled, so that nothing else uses memory.
 */
const folder = process.argv[2] ?? ''
const file = (name: string) => readFileSync(`${folder}/${name}`)
const peaks = new Map<string, number>()
const signer = keySigner(file('key.pem').toString(), [file('certificate.der')])
const { seal } = sealer({ findSigner: async () => signer })
void sealOnce()

/** Not at the top of the module: a part of the bundle that sealing loads waits until this module is there. */
async function sealOnce(): Promise<void> {
  const watch = setInterval(notePeaks, 10)
  const startedAt = performance.now()
  const { form } = await seal(file('document.pdf'), JSON.parse(file('certificate.json').toString()))
  const run: SealingRun = {
    form,
    milliseconds: performance.now() - startedAt,
    peakMegabytes: notePeaks(),
  }
  clearInterval(watch)
  console.log(JSON.stringify(run))
}

/** How a document was sealed in a new process, how long it took, and the memory of it and its child, each at its most. */
export type SealingRun = { form: string; milliseconds: number; peakMegabytes: number }

/** Notes the peaks of this process and of its children so far, and adds them up. Linux has them. */
function notePeaks(): number {
  for (const id of ['self', ...childrenOf('self')]) {
    try {
      const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? []
      if (kilobytes !== undefined) peaks.set(id, Number(kilobytes) / 1_024)
    } catch {
      // It has ended.
    }
  }
  return [...peaks.values()].reduce((sum, peak) => sum + peak, 0)
}

function childrenOf(id: string): string[] {
  return globSync(`/proc/${id}/task/*/children`).flatMap(
    (path) => readFileSync(path, 'utf8').match(/\d+/g) ?? [],
  )
}
