import { expect, it } from 'vitest'
import { ReplayInput, RotateSecretInput, WebhookEndpointChanges } from '#webhooks/endpoint-schema.ts'

it('null counts as a missing field (G8), and the body may be missing', () => {
  const none = { after: null, until: null, types: null }

  expect(RotateSecretInput.parse({ overlap_hours: null })).toEqual({ overlap_hours: 24 })
  expect(RotateSecretInput.parse(undefined)).toEqual({ overlap_hours: 24 })
  expect(WebhookEndpointChanges.parse({ event_types: null })).toEqual({ event_types: ['*'] })
  expect(ReplayInput.parse(none)).toEqual(none)
  expect(ReplayInput.parse(undefined)).toEqual({})
})
