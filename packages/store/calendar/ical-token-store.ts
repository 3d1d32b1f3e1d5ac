import type { IcalTokenStore } from '#calendar/ports.ts'
import { notFound } from '#kernel/failure.ts'
import { type Db, strongly } from '../db.ts'
import { lazily } from '../lazily.ts'
import { withNulls, withoutNulls } from '../nulls.ts'
import { change, put, retryStale, transact } from '../transact.ts'
import { icalToken } from './ical-token-entity.ts'

/** Subscription tokens in the table. */
export function icalTokenStore(db: Db): IcalTokenStore {
  const tokens = lazily(() => icalToken(db))

  const findAnywhere: IcalTokenStore['findAnywhere'] = async (id) => {
    const { data } = await tokens.get({ id }).go(strongly)
    return data === null ? undefined : withNulls(data, ['revoked_at'])
  }

  return {
    findAnywhere,
    add: (record) => transact(db, [put(tokens.create(withoutNulls(record)))]),
    revoke: (workspaceId, id, at) =>
      retryStale(async () => {
        const token = await findAnywhere(id)
        if (token === undefined || token.workspace_id !== workspaceId) throw notFound('ICAL_TOKEN_NOT_FOUND')
        if (token.revoked_at !== null) return token.revoked_at
        await transact(db, [
          change(
            tokens
              .patch({ id })
              .set({ revoked_at: at })
              .where(({ revoked_at }, { notExists }) => notExists(revoked_at)),
          ),
        ])
        return at
      }),
  }
}
