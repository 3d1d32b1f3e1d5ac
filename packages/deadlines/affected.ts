import { calendarDateOf, dayNumberOf, germanDate } from '#german-time/calendar-date.ts'
import { isDayOff, laender } from '#german-time/holidays.ts'
import { localDateOf } from '#german-time/local-time.ts'
import type { Region } from '#german-time/regions.ts'
import { type Clock, timestamp } from '#kernel/clock.ts'
import { idsOf } from '#kernel/id.ts'
import type { Basis } from './basis-schema.ts'
import { workingDay } from './day-off.ts'
import { deliveries, deliveryLaws, presumedDelivery } from './delivery.ts'
import type { DeadlineStore } from './ports.ts'

/** German warnings, and the ids of the deadlines that they are about, soonest first. */
type Affected = { warnings?: string[]; deadline_ids?: string[] }

/** The maximum number of deadlines of a user whose ids are returned. */
const maxShown = 100

/** The maximum number of deadlines whose calculation is compared with the holidays of a region. */
const maxCompared = 500

/** The open deadlines that somebody must check after a user was deactivated or the firm changed its region. */
export function affectedDeadlines(deps: { store: Pick<DeadlineStore, 'due' | 'complete'>; clock: Clock }) {
  const { store, clock } = deps
  return {
    /** The open deadlines of a user who has left: each needs another responsible person. */
    async ofUser(workspaceId: string, userId: string, timeZone: string): Promise<Affected> {
      const query = { states: ['open', 'verified'], assigned_to: userId } as const
      const open = await store.due(workspaceId, query, { limit: maxShown + 1 })
      const [first] = open
      if (first === undefined) return {}
      const day = dayOf(first, timeZone)
      const count = open.length > maxShown ? `mehr als ${maxShown}` : open.length
      const warning =
        open.length === 1
          ? `Diesem Nutzer ist eine offene Frist zugewiesen, fällig am ${day}: Sie braucht eine andere zuständige Person.`
          : `Diesem Nutzer sind ${count} offene Fristen zugewiesen, die früheste fällig am ${day}: Sie brauchen eine andere zuständige Person.`
      return { warnings: [warning], deadline_ids: idsOf(open.slice(0, maxShown)) }
    },

    /**
     * The future deadlines that were calculated with the holidays of the firm's former region and may end on another day
     * in this one. They are not changed: the place of the court decides.
     */
    async ofRegion(workspaceId: string, region: Region, timeZone: string): Promise<Affected> {
      const query = { states: ['open', 'verified'], from: timestamp(clock) } as const
      const listed = await store.due(workspaceId, query, { limit: maxCompared })
      const complete = await store.complete(listed.filter(({ has_basis }) => has_basis))
      const affected = complete.filter(({ basis }) => basis !== null && endsOtherwise(basis, region))
      const [first] = affected
      const warnings = [
        ...(first ? [otherwiseText(affected.length, dayOf(first, timeZone), laender[region].name)] : []),
        ...(listed.length < maxCompared
          ? []
          : [`Verglichen sind nur die ${maxCompared} offenen Fristen, die zuerst fällig sind.`]),
      ]
      if (warnings.length === 0) return {}
      return { warnings, deadline_ids: idsOf(affected) }
    },
  }
}

/** The German warning about deadlines that may end on another day in this Land, the first of them on `day`. */
function otherwiseText(count: number, day: string, land: string): string {
  const [which, end] =
    count === 1
      ? [`Eine offene Frist, fällig am ${day}, ist`, 'endet']
      : [`${count} offene Fristen, die früheste fällig am ${day}, sind`, 'enden']
  return `${which} mit den Feiertagen eines anderen Landes gerechnet und ${end} nach denen in ${land} womöglich an einem anderen Tag: Zu prüfen ist, wo die Handlung vorzunehmen ist.`
}

function dayOf({ due_at }: { due_at: string }, timeZone: string): string {
  return germanDate(dayNumberOf(localDateOf(new Date(due_at), timeZone)))
}

/** Whether the holidays of this region may give another end. A deadline that was calculated for a court keeps its end. */
function endsOtherwise(basis: Basis, region: Region): boolean {
  const { region_source, region: counted, calculated_date, due_date, direction, period } = basis
  if (region_source !== 'workspace' || counted === region) return false
  if (period.unit === 'working_day' || period.unit === 'hour') return true
  if (deliveredIn(basis, counted) !== deliveredIn(basis, region)) return true
  // No day off moves an absolute end, or the end of a notice period.
  if (calculated_date === due_date && isDayOff(due_date, { region: counted })) return false
  const { due } = workingDay(dayNumberOf(calculated_date), direction, { region })
  return calendarDateOf(due) !== due_date
}

/** The presumed day of delivery, which a holiday of the region moves in tax law; undefined without `posted_on`. */
function deliveredIn({ posted_on, steps }: Basis, region: Region): number | undefined {
  const law = deliveryLaws.find((one) => deliveries[one].statute === steps[0]?.rule)
  if (posted_on === null || law === undefined) return undefined
  return presumedDelivery(posted_on, law, { region }).day
}
