import { expect, it } from 'vitest'
import { accessPage } from '#parties/access-page.ts'

it('the list of a report says which stored records are not in it', () => {
  const at = '2026-11-27T09:00:00.000Z'
  const page = accessPage({
    subject: {
      party: {
        ...{
          workspace_id: 'ws_1',
          id: 'pty_1',
          type: 'person',
          name: 'Anna Meier',
          email: null,
          phone: null,
        },
        ...{ address: null, created_at: at, updated_at: at, version: 1 },
      },
    } as Parameters<typeof accessPage>[0]['subject'],
    office: { name: 'Kanzlei', time_zone: 'Europe/Berlin' },
    now: new Date(at),
    sections: [],
  })

  expect(page).toContain('unterschriebene Fristenregister')
  expect(page).toContain('Einordnung von Dokumenten und beA-Nachrichten')
  expect(page).toContain('Einstellungen und gespeicherte Dateien von Exporten')
})
