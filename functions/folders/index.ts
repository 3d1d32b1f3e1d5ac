import { folderService } from '#folders/folders.ts'
import { foundation } from '#foundation/foundation.ts'
import { serve } from '#http/serve.ts'
import { folderStore } from '#store/folders/folder-store.ts'
import * as endpoints from './endpoints.ts'

const base = foundation('folders')

export const handler = serve(endpoints, {
  ...base,
  services: { folders: folderService({ store: folderStore(base), clock: base.clock }) },
})
