import { App, type AppProps, Validations } from 'aws-cdk-lib/core'
import { AwsSolutionsChecks } from 'cdk-nag'
import type { FunctionDeclaration } from '#functions/declaration.ts'
import { manifest } from '#functions/manifest.ts'
import { queues as declared, type Queues } from '#functions/queues.ts'
import { ApiStack } from './stacks/api.ts'
import { MailStack } from './stacks/mail.ts'
import { StorageStack } from './stacks/storage.ts'
import { WatchStack } from './stacks/watch.ts'
import { WorkStack } from './stacks/work.ts'
import { isProtected, type StackPurpose, type Stage, stackName, stagesOf } from './stage.ts'
import { lacksOf, refuseLacks } from './wanted-settings.ts'

/** A release: its functions and the queues between them. */
export type Release = { functions: readonly FunctionDeclaration[]; queues: Queues }

/** Every stack of every chosen stage of a release, checked against the AwsSolutions rules at synthesis. */
export function createApp(
  props: AppProps = {},
  release: Release = { functions: manifest, queues: declared },
): App {
  const { functions } = release
  const app = new App(props)
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app, { verbose: true }))
  const chosen = {
    stages: app.node.tryGetContext('stages'),
    stage: app.node.tryGetContext('stage'),
    first: app.node.tryGetContext('first'),
    canary: app.node.tryGetContext('canary'),
  }

  for (const stage of stagesOf(chosen)) {
    // A named stage is about to be deployed.
    if (chosen.stage !== undefined) refuseLacks(stage)
    const props = (purpose: StackPurpose) => stackProps(stage, purpose)
    const storage = new StorageStack(app, stackName(stage.name, 'storage'), {
      ...props('storage'),
      queues: release.queues,
    })
    const { table, key, secretsKey, signingKey, bucket, queues } = storage
    const resources = { table, key, secretsKey, signingKey, bucket, queues }
    if (stage.protectData && stage.isFirst)
      Validations.of(storage).addWarning(
        'NotProtectedYet',
        `The stage ${stage.name} is not protected from deletion yet: when its stacks stand, deploy them again without -c first=true.`,
      )
    if (stage.mail)
      new MailStack(app, stackName(stage.name, 'mail'), {
        ...props('mail'),
        mail: stage.mail,
        bucket,
        events: queues['mail-events'],
        receivedMails: queues['received-mails'],
      })
    new ApiStack(app, stackName(stage.name, 'api'), {
      ...props('api'),
      ...resources,
      functions: functions.filter((declaration) => declaration.endpoints),
    })
    new WorkStack(app, stackName(stage.name, 'work'), {
      ...props('work'),
      ...resources,
      functions: functions.filter((declaration) => !declaration.endpoints),
    })
    const watch = new WatchStack(app, stackName(stage.name, 'watch'), {
      ...props('watch'),
      table,
      keys: storage.keys,
      ...release,
    })
    for (const { setting, says } of lacksOf(stage)) Validations.of(watch).addWarning(`No-${setting}`, says)
  }
  return app
}

function stackProps(stage: Stage, purpose: StackPurpose) {
  return {
    stage,
    env: { region: stage.region },
    description: `Aktenlage ${stage.name}: ${purpose}`,
    terminationProtection: isProtected(stage),
    tags: { application: 'aktenlage', stage: stage.name },
  }
}

if (import.meta.main) createApp().synth()
