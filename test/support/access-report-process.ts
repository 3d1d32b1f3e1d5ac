import { accessReportFoundation } from '#foundation/access-reports.ts'
import { accessSections } from '#foundation/access-sections.ts'
import { foundation } from '#foundation/foundation.ts'
import { accessMaking } from '#parties/access-making.ts'
import { partyNamings } from '#store/parties/party-namings.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'

/**
 * A worker that makes one report like the Lambda, and kills itself at a step. The order is its first argument, the step
 * its second: `begun`, `uploaded`, `ended`, or `never`.
 */
const step = process.argv[3]
const die = (at: string) => {
  if (at === step) process.kill(process.pid, 'SIGKILL')
}

const base = foundation('export-runs')
const { reports, files } = accessReportFoundation(base)
await accessMaking({
  parties: partyStore(base),
  casesOf: partyNamings(base.db).cases,
  sections: accessSections(base),
  reports: {
    ...reports,
    begin: async (key) => {
      const begun = await reports.begin(key)
      die('begun')
      return begun
    },
    end: async (...call) => {
      const ended = await reports.end(...call)
      die('ended')
      return ended
    },
  },
  files: {
    ...files,
    putStream: async (...call) => {
      const size = await files.putStream(...call)
      die('uploaded')
      return size
    },
  },
  workspaces: workspaceStore(base.db),
  clock: base.clock,
  log: base.log,
}).make(JSON.parse(process.argv[2] ?? ''), new AbortController().signal)
