import { buildSegment } from '#search/build-segment.ts'
import { mergeSegments } from '#search/merge-segments.ts'
import { openSegment } from '#search/open-segment.ts'
import { aRecord } from './a-record.ts'

/** Builds or merges a segment until this process is killed. It sends `filled` after the last record. */
const [, , task = '', path = '', from = '', facts = ''] = process.argv

function* records() {
  for (let at = 0; at < 400; at += 1) {
    if (at === 20) process.send?.('begun')
    yield aRecord(`r${at}`, `Kündigung ${at} ${'Frist und Vertrag '.repeat(50)}`)
  }
  process.send?.('filled')
}

if (task === 'build') await buildSegment(records(), path)
else {
  const segment = await openSegment(from, JSON.parse(facts))
  process.send?.('begun')
  process.send?.('filled')
  await mergeSegments([segment], new Map([['r0', 1]]), path, false)
}
process.send?.('done')
