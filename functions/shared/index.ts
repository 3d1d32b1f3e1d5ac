import { sharedLinkPageService } from '#correspondence/shared-link-page.ts'
import { accessReportFoundation } from '#foundation/access-reports.ts'
import { correspondenceFoundation } from '#foundation/correspondence.ts'
import { foundation } from '#foundation/foundation.ts'
import { serveStreamed } from '#http/serve-streamed.ts'
import { accessReportLinks } from '#parties/access-reports.ts'
import { partyStore } from '#store/parties/party-store.ts'
import { workspaceStore } from '#store/workspace/workspace-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('shared')
const mail = correspondenceFoundation(base)

export const handler = serveStreamed(endpoints, {
  ...base,
  services: {
    links: sharedLinkPageService({ ...mail, workspaces: workspaceStore(base.db), clock: base.clock }),
    reports: accessReportLinks({
      ...base,
      ...accessReportFoundation(base),
      parties: partyStore(base),
    }),
  },
})
