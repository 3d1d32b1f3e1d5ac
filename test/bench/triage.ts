import { decide } from '#triage/decide.ts'
import { readSignals } from '#triage/read-signals.ts'
import { corpus } from '../mail-corpus/corpus.ts'
import { lookUp, settings } from '../mail-corpus/firm.ts'
import { factsOf } from '../mail-corpus/judge.ts'
import { median, type Part, round } from './report.ts'

const minMailsPerSecond = 2_000

/** How many mails of the corpus the triage judges in a second of CPU time. The look-ups are made before. */
export async function measureTriage(rounds: number): Promise<Part> {
  const mails = await Promise.all(
    corpus.map(async (mail) => {
      const facts = await factsOf(mail)
      return { facts, found: lookUp(readSignals(facts, settings)) }
    }),
  )
  const repetitions = 5
  const speeds: number[] = []
  for (let turn = 0; turn <= rounds; turn += 1) {
    const before = process.cpuUsage()
    for (let count = 0; count < repetitions; count += 1)
      for (const { facts, found } of mails) decide(readSignals(facts, settings), found, settings)
    const { user, system } = process.cpuUsage(before)
    // The first turn compiles.
    if (turn > 0) speeds.push((repetitions * mails.length) / ((user + system) / 1_000_000))
  }
  return {
    title: 'Triage',
    method: `The ${mails.length} mails of the corpus, ${repetitions} times in each of ${rounds} turns, in this process; CPU time of all its threads. The median.`,
    rows: [{ 'mails a second of CPU time': round(median(speeds)), slowest: round(Math.min(...speeds)) }],
    targets: [
      { name: 'mails a second on one core', measured: median(speeds), unit: '', min: minMailsPerSecond },
    ],
  }
}
