import type { DatevSettings } from '#billing/firm-schema.ts'
import type { FailureDetail } from '#kernel/failure.ts'

/**
 * The DATEV settings that are missing, or whose value DATEV would refuse. Every export needs all accounts, so that it
 * never fails halfway. Only the account for reverse charge is optional.
 *
 * DATEV accepts a consultant from 1001 to 9999999 and a client from 1 to 99999. All general ledger accounts have the
 * same number of digits, from 4 to 8. Personal accounts have one digit more ("Header" and "Buchungsstapel" of the
 * DATEV-Format). The debtor account may be of either kind.
 */
export function missingDatevSettings(settings: DatevSettings): FailureDetail[] {
  const length = settings.revenue_account_19?.length
  const revenue19: Requirement = {
    isMet: (value) => isAccount(value, 4, 8),
    text: 'an account with 4 to 8 digits',
  }
  const revenue: Requirement = {
    isMet: (value) => isAccount(value, 4, 8) && value.length === (length ?? value.length),
    text: 'an account with 4 to 8 digits, as many as the account for 19 % has',
  }
  const debtor: Requirement = {
    isMet: (value) => isAccount(value, length ?? 4, (length ?? 8) + 1),
    text: 'an account with as many digits as the revenue accounts, or one more',
  }
  return [
    ...fault(settings, 'consultant', number(1_001, 9_999_999)),
    ...fault(settings, 'client', number(1, 99_999)),
    ...fault(settings, 'revenue_account_19', revenue19),
    ...fault(settings, 'revenue_account_7', revenue),
    ...fault(settings, 'revenue_account_0', revenue),
    ...(settings.revenue_account_reverse_charge === null
      ? []
      : fault(settings, 'revenue_account_reverse_charge', revenue)),
    ...fault(settings, 'debtor_account', debtor),
  ]
}

type Requirement = { isMet: (value: string) => boolean; text: string }

function number(min: number, max: number): Requirement {
  return {
    isMet: (value) => /^[1-9]\d*$/.test(value) && Number(value) >= min && Number(value) <= max,
    text: `a number from ${min} to ${max}`,
  }
}

function isAccount(value: string, minDigits: number, maxDigits: number): boolean {
  return /^\d+$/.test(value) && Number(value) > 0 && value.length >= minDigits && value.length <= maxDigits
}

function fault(
  settings: DatevSettings,
  field: keyof DatevSettings,
  { isMet, text }: Requirement,
): FailureDetail[] {
  const value = settings[field]
  const path = `datev.${field}`
  if (value === null)
    return [{ path, message: `This is not set. Set it with PATCH /api/v1/workspace to ${text}.` }]
  return isMet(value) ? [] : [{ path, message: `DATEV requires ${text}.` }]
}
