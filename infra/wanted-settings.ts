import type { Stage } from './stage.ts'

/** What a stage with data to protect needs besides, and what happens without it. */
const wanted = {
  alarmEmail: 'nobody receives its alarms',
  backupVaultArn: 'all its data is lost with its account',
  mail: 'it sends no mail, and SES receives none for it',
} as const satisfies Partial<Record<keyof Stage, string>>

export type WantedSetting = keyof typeof wanted

export const wantedSettings = Object.keys(wanted) as WantedSetting[]

/** What a stage whose data is protected lacks, as a sentence each, by the name of the setting. */
export function lacksOf(stage: Stage): { setting: WantedSetting; isMeant: boolean; says: string }[] {
  if (!stage.protectData) return []
  return wantedSettings
    .filter((setting) => stage[setting] === undefined)
    .map((setting) => ({
      setting,
      isMeant: stage.without.includes(setting),
      says: `The stage ${stage.name}, whose data is protected, has no ${setting}: ${wanted[setting]}.`,
    }))
}

/**
 * Refuses a stage that lacks what its data needs and does not say so.
 *
 * @throws Error with each setting that is missing
 */
export function refuseLacks(stage: Stage): void {
  const missing = lacksOf(stage).filter(({ isMeant }) => !isMeant)
  if (missing.length === 0) return
  const lines = missing.map(({ says }) => `- ${says}`)
  throw new Error(
    [
      `The stage ${stage.name} is not ready to be deployed:`,
      ...lines,
      `Set them in cdk.json. Where the stage is meant to go without one, name it in its setting "without".`,
    ].join('\n'),
  )
}
