import { business } from './business.ts'
import type { CorpusMail } from './corpus-mail.ts'
import { courts } from './courts.ts'
import { desk } from './desk.ts'
import { doubtful } from './doubtful.ts'
import { everyday } from './everyday.ts'
import { people } from './people.ts'

/** Every mail of the corpus. */
export const corpus: CorpusMail[] = [...courts, ...people, ...business, ...doubtful, ...desk, ...everyday]

/** Every third mail of each batch: nobody looks at what the triage says of them while its rules are changed. */
export const heldOut = new Set(
  [courts, people, business].flatMap((batch) => batch.filter((_, at) => at % 3 === 2).map(({ id }) => id)),
)
