import { type Stage, wantedSettings } from './stage.ts'

type WantedSetting = (typeof wantedSettings)[number]

/** The consequence if a stage with protected data does not have the setting. */
const consequences: Record<WantedSetting, string> = {
  alarmEmail: 'nobody receives its alarms',
  backupVaultArn: 'all its data is lost with its account',
  mail: 'it sends no mail, and SES receives none for it',
}

/** The missing settings of a stage whose data is protected, each with a sentence. */
export function lacksOf(stage: Stage): { setting: WantedSetting; isMeant: boolean; says: string }[] {
  if (!stage.protectData) return []
  return wantedSettings
    .filter((setting) => stage[setting] === undefined)
    .map((setting) => ({
      setting,
      isMeant: stage.without.includes(setting),
      says: `The stage ${stage.name}, whose data is protected, has no ${setting}: ${consequences[setting]}.`,
    }))
}

/**
 * Refuses a stage with protected data if a wanted setting is neither set nor listed in `without`.
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
      `Set them in cdk.json. If the stage deliberately does not have one of them, name it in its setting "without".`,
    ].join('\n'),
  )
}
