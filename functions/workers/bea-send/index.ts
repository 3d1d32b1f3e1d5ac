import { beaSendQueue } from '#bea/sending/send-queue.ts'
import { beaSending } from '#bea/sending/sending.ts'
import { announcingFoundation } from '#foundation/announcing.ts'
import { beaSendingDeps } from '#foundation/bea-sending.ts'
import { consumer } from '#foundation/consumer.ts'
import { inboxFoundation } from '#foundation/inbox.ts'
import { indexWakes } from '#foundation/index-wakes.ts'

const base = announcingFoundation('bea-send')
indexWakes(base)
// The triage also judges the messages that this worker imports.
inboxFoundation(base)

/** Sends beA messages and answers, looks for messages whose outcome is unknown, and imports the sent ones. */
export const handler = consumer(base, beaSendQueue, beaSending(beaSendingDeps(base)).run)
