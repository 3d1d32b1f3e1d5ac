import { join } from 'node:path'
import { bundle } from '#infra/constructs/bundling.ts'
import { forkModule } from './fork-module.ts'
import type { ComposingOrder, ComposingResult } from './mail-process.ts'
import { median, type Part, round } from './report.ts'
import type { BenchSetup } from './setup.ts'

const mebibyte = 1024 * 1024
const attachedBytes = 5 * mebibyte
const maxTimesBare = 1.3
const maxMegabytes = 60

/** Measures composing a mail with 5 MiB of attachments: the CPU time against nodemailer alone, and the memory. */
export async function measureComposing(setup: BenchSetup, rounds: number): Promise<Part> {
  const module = await bundle('test/bench/mail-process.ts', join(setup.folder, 'mail-process.mjs'))
  const run = async (order: ComposingOrder) => {
    const { result, stop } = await forkModule<ComposingResult>(module, setup.environment, order)
    await stop()
    return result
  }
  const order = { attachedBytes, repetitions: 5 }
  const ours: ComposingResult[] = []
  const bare: ComposingResult[] = []
  for (let turn = 0; turn < rounds; turn += 1) {
    ours.push(await run({ ...order, composer: 'ours' }))
    bare.push(await run({ ...order, composer: 'nodemailer' }))
  }
  const cpu = (results: ComposingResult[]) => median(results.map(({ cpuMilliseconds }) => cpuMilliseconds))
  const idle = (results: ComposingResult[]) => Math.max(...results.map(({ idleMegabytes }) => idleMegabytes))
  const above = (results: ComposingResult[]) =>
    Math.max(...results.map(({ peakMegabytes, idleMegabytes }) => peakMegabytes - idleMegabytes))
  const shares = ours.map(
    ({ cpuMilliseconds }, turn) => cpuMilliseconds / (bare[turn]?.cpuMilliseconds ?? Number.NaN),
  )
  const rows = [
    { composer: 'composeMail', results: ours },
    { composer: 'nodemailer alone', results: bare },
  ].map(({ composer, results }) => ({
    composer,
    'CPU ms': round(cpu(results)),
    'idle MiB': round(idle(results)),
    'peak above idle MiB': round(above(results)),
  }))
  return {
    title: `Mail: composing with ${attachedBytes / mebibyte} MiB of attachments`,
    method: `The bundled code in processes of its own, ${rounds} of each by turns, ${order.repetitions} mails in each; CPU time of the whole process for a mail. Memory is resident: idle with the libraries loaded and a small mail composed, the attachments not yet read; the peak over the first mail.`,
    rows,
    targets: [
      {
        name: 'CPU of composing against nodemailer alone',
        measured: median(shares),
        unit: '',
        max: maxTimesBare,
      },
      {
        name: 'peak memory of composing above idle',
        measured: above(ours),
        unit: 'MiB',
        max: maxMegabytes,
      },
    ],
  }
}
