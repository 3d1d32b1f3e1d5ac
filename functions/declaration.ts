import type { Endpoints } from '#http/endpoint.ts'
import type { QueueName } from './queues.ts'

/**
 * The prefixes of keys in the bucket. They hold, in this order: documents, their texts, uploads that are not completed,
 * mails, messages that SES received, drawn signatures. Then files of scheduled exports, reports on parties, beA
 * messages, and segments of search indexes.
 */
export type BucketPrefix =
  | 'files'
  | 'texts'
  | 'uploads'
  | 'mails'
  | 'received'
  | 'signatures'
  | 'exports'
  | 'reports'
  | 'bea'
  | 'search'

/** The rights of a function. `infra/` grants exactly these; tests compare them with the template. */
export type Needs = {
  /**
   * - `health`: get items under the partition key `health`. No such item exists, but the table answers.
   * - `envelopes`: the actions of a signer's page. They get, change and expire envelopes by id, with their audit trail,
   *   lists and jobs. They also add entries to timelines, and get magic links, sealed files and the name of an office.
   * - `read`: get and query. For requests with an API key, it may also update the last use and refusal of the key and the
   *   allowance. It may add entries to the audit, and keep answers (G14).
   * - `exports`: as `read`; also update the last use of export tokens and when a configuration was executed.
   * - `write`: get, query and change.
   * - Absent: no right to the table.
   */
  table?: 'health' | 'envelopes' | 'read' | 'exports' | 'write'
  /**
   * The actions on objects of the bucket that it may use, by prefix. `parts`: it may also write objects in parts, and
   * abort such uploads. `erase`: it may list the versions of objects, and delete all of them. No other function may list
   * anything in the bucket.
   */
  bucket?: Partial<Record<BucketPrefix, readonly ('read' | 'write' | 'parts' | 'delete' | 'erase')[]>>
  sends?: readonly QueueName[]
  /** It may read the text of pictures with Textract. */
  textract?: true
  /** It may encrypt and decrypt secrets of this purpose with the key for secrets. Absent: it may do neither. */
  secrets?: 'calendar' | 'bea' | 'webhooks'
  /** It may sign with the signing key (`SIGNING_KEY_ID`), and read its public key. */
  signs?: true
  /**
   * - `send`: send mails by SES, only from addresses of the stage's mail domain, and only with the stage's
   *   configuration set, which `MAIL_CONFIGURATION_SET` names. IAM cannot require that a call names a configuration
   *   set. The stage's set is the default of the domain, so a call that names none uses it too. IAM cannot distinguish
   *   workspaces either: the function takes the sender from the workspace. A stage without the setting `mail` grants
   *   neither the right nor the variable.
   * - `request`: the variable alone. The function enqueues mails for another function, and refuses requests for mails
   *   on a stage that sends none.
   */
  mail?: 'send' | 'request'
  /**
   * It receives the calls of a mail service. `MAIL_SERVICE_CHECKS_SENDERS`: whether the stage's service checks senders.
   */
  mailService?: true
}

/** One Lambda: its endpoints or its schedule, and its rights. */
export type FunctionDeclaration = {
  /** Unique, lower case with dashes. */
  name: string
  /** The composition root, from the root of the repository; it exports `handler`. */
  entry: string
  /** The endpoints it serves behind API Gateway, by operation name. */
  endpoints?: Endpoints<never>
  /** Files that it reads, as paths from the root of the repository; each is deployed beside the bundle. */
  assets?: readonly string[]
  /** The interval in minutes at which it runs, with an empty event. */
  everyMinutes?: number
  /**
   * The queue that it consumes, one message per invocation. The limit of concurrent invocations is `maxConcurrency`, or
   * this `share` of the stage's `concurrency` if that is more. Lambda runs as many of them as the messages need.
   * `waits`: it only waits for other servers, and needs little memory. `npm start` then runs it with the API's
   * functions, not in one of the few worker threads.
   */
  consumes?: { queue: QueueName; maxConcurrency: number; share?: number; waits?: true }
  needs: Needs
  memoryMegabytes: number
  /** Its disk at `/tmp`, if 512 MB are not enough. */
  diskMegabytes?: number
  timeoutSeconds: number
  /** It streams its answers. All its endpoints are `streamed`. */
  streams?: true
  /** Options of its runtime, as `NODE_OPTIONS`. */
  nodeOptions?: string
  /** Lines of its log that raise an alarm. */
  alarms?: readonly LogAlarm[]
}

/**
 * A log line that raises an alarm: whenever it appears, or if it appears every minute and a number in it is above a
 * limit. `metric` is unique in the service; `says` explains the alarm to operators.
 */
export type LogAlarm = {
  metric: string
  message: string
  says: string
  above?: { field: string; limit: number }
}
