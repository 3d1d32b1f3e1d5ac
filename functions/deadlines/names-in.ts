import type { Register } from '#deadlines/register-schema.ts'

/** The names behind the ids in a register. */
export function namesIn({ users, cases, evidence }: Register) {
  return {
    users: new Map(users.map(({ id, name }) => [id, name])),
    deactivated: new Set(users.flatMap(({ id, deactivated }) => (deactivated ? [id] : []))),
    cases: new Map(cases.map((one) => [one.id, one])),
    /** The names of documents and beA messages. */
    evidence: new Map(evidence?.map(({ id, name }) => [id, name])),
  }
}

export type Names = ReturnType<typeof namesIn>
