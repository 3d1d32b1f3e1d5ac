import type { DatevSettings } from '#billing/firm-schema.ts'
import type { FailureDetail } from '#kernel/failure.ts'

/**
 * The settings that are missing for a batch of bookings: numbers that are not set, or that DATEV would refuse. Every
 * export needs all accounts, so that it never fails halfway. Only the one for reverse charge is optional.
 *
 * DATEV's limits: consultant 1001 to 9999999, client 1 to 99999, general ledger accounts of 4 to 8 digits with the same
 * length, personal accounts with one digit more ("Header" and "Buchungsstapel" of the DATEV-Format). The debtor account
 * may be of either kind.
 */
export function missingDatevSettings(settings: DatevSettings): FailureDetail[] {
  const length = settings.revenue_account_19?.length
  const revenue: Form = {
    isRight: (value) => isAccount(value, 4, 8) && value.length === (length ?? value.length),
    wanted: 'the same number of digits as the account for 19 %: 4 to 8',
  }
  const debtor: Form = {
    isRight: (value) => isAccount(value, length ?? 4, (length ?? 8) + 1),
    wanted: 'the same number of digits as the revenue accounts, or one more',
  }
  return [
    ...fault(settings, 'consultant', number(1_001, 9_999_999)),
    ...fault(settings, 'client', number(1, 99_999)),
    ...fault(settings, 'revenue_account_19', revenue),
    ...fault(settings, 'revenue_account_7', revenue),
    ...fault(settings, 'revenue_account_0', revenue),
    ...(settings.revenue_account_reverse_charge === null
      ? []
      : fault(settings, 'revenue_account_reverse_charge', revenue)),
    ...fault(settings, 'debtor_account', debtor),
  ]
}

type Form = { isRight: (value: string) => boolean; wanted: string }

function number(least: number, largest: number): Form {
  return {
    isRight: (value) => /^[1-9]\d*$/.test(value) && Number(value) >= least && Number(value) <= largest,
    wanted: `a number from ${least} to ${largest}`,
  }
}

function isAccount(value: string, minDigits: number, maxDigits: number): boolean {
  return /^\d+$/.test(value) && Number(value) > 0 && value.length >= minDigits && value.length <= maxDigits
}

function fault(
  settings: DatevSettings,
  field: keyof DatevSettings,
  { isRight, wanted }: Form,
): FailureDetail[] {
  const value = settings[field]
  const path = `datev.${field}`
  if (value === null)
    return [{ path, message: `This is not set. PATCH /api/v1/workspace sets it: ${wanted}.` }]
  return isRight(value) ? [] : [{ path, message: `DATEV requires ${wanted}.` }]
}
