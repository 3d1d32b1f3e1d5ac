import { judiciarySafeIds, olderSafeIds } from '#bea/network/safeid-schema.ts'

/** The kinds of senders that an address can show. */
type SenderKind = 'court' | 'authority' | 'insurance'

type Row = { domain: string; kind: SenderKind | 'judiciary' | 'state'; source: string }

/**
 * Domains of courts, authorities and insurers, each with all domains below it.
 *
 * - `judiciary`: the domains below it are courts, except prosecutors and prisons, which their labels show (`sta-koeln`).
 * - `state`: the domains below it are authorities, except courts, which their labels show (`lg-m1.bayern.de`). The domain
 *   itself does not count: citizens had addresses in `hamburg.de` and `berlin.de`.
 *
 * `source`: a row with an example was seen in published lists of court addresses. `unchecked` rows are from memory:
 * check them against the directory of the judiciary (justizadressen.nrw.de), the authority's imprint, or the list of
 * members of the GDV. An address can be forged. So the domain never files a message by itself. It decides the category,
 * which court's reference is meant, whether references are learnt, and whether those in attachments count.
 */
export const senderDomains: Row[] = [
  { domain: 'bundesverfassungsgericht.de', kind: 'court', source: 'unchecked' },
  { domain: 'bundesgerichtshof.de', kind: 'court', source: 'unchecked' },
  { domain: 'bundesarbeitsgericht.de', kind: 'court', source: 'unchecked' },
  { domain: 'bgh.bund.de', kind: 'court', source: 'unchecked' },
  { domain: 'bverwg.bund.de', kind: 'court', source: 'unchecked' },
  { domain: 'bsg.bund.de', kind: 'court', source: 'unchecked' },
  { domain: 'bfh.bund.de', kind: 'court', source: 'unchecked' },
  { domain: 'bpatg.bund.de', kind: 'court', source: 'unchecked' },
  { domain: 'bund.de', kind: 'state', source: 'unchecked' },
  { domain: 'justiz.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.bwl.de', kind: 'judiciary', source: 'e.g. agulm.justiz.bwl.de' },
  { domain: 'justiz.bayern.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.hamburg.de', kind: 'judiciary', source: 'e.g. lg.justiz.hamburg.de' },
  { domain: 'justiz.hessen.de', kind: 'judiciary', source: 'e.g. sta-frankfurt.justiz.hessen.de' },
  { domain: 'justiz.niedersachsen.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.nrw.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.rlp.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'jm.rlp.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.saarland.de', kind: 'judiciary', source: 'e.g. lg-sb.justiz.saarland.de' },
  { domain: 'justiz.sachsen.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.sachsen-anhalt.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'justiz.thueringen.de', kind: 'judiciary', source: 'unchecked' },
  { domain: 'mv-justiz.de', kind: 'judiciary', source: 'e.g. sta-hro.mv-justiz.de' },
  ...'bayern berlin brandenburg bremen bwl hamburg hessen landsh mv-regierung niedersachsen nrw rlp saarland sachsen sachsen-anhalt thueringen'
    .split(' ')
    .map(
      (land): Row => ({
        domain: `${land}.de`,
        kind: 'state',
        source: { nrw: 'e.g. lg-wuppertal.nrw.de', bayern: 'e.g. ag-m.bayern.de' }[land] ?? 'unchecked',
      }),
    ),
  { domain: 'jobcenter-ge.de', kind: 'authority', source: 'unchecked' },
  { domain: 'arbeitsagentur.de', kind: 'authority', source: 'unchecked' },
  { domain: 'drv-bund.de', kind: 'authority', source: 'unchecked' },
  { domain: 'deutsche-rentenversicherung.de', kind: 'authority', source: 'unchecked' },
  { domain: 'zoll.de', kind: 'authority', source: 'unchecked' },
  { domain: 'handelsregister.de', kind: 'authority', source: 'unchecked' },
  ...[
    'allianz axa ergo generali huk huk-coburg ruv lvm devk gothaer zurich hdi hdi-global arag roland-rechtsschutz advocard wuerttembergische',
    'signal-iduna debeka provinzial vgh concordia barmenia nuernberger verti cosmosdirekt vhv alte-leipziger hansemerkur continentale',
    'bavariadirekt swisslife stuttgarter universa volkswohl-bund wgv mecklenburgische baloise itzehoer rechtsschutzunion auxilia',
  ]
    .flatMap((row) => row.split(' '))
    .map((name): Row => ({ domain: `${name}.de`, kind: 'insurance', source: 'unchecked' })),
]

const rows = new Map(senderDomains.map(({ domain, kind }) => [domain, kind]))

const courtLabel =
  /^(ag|lg|olg|kg|bayoblg|ovg|vg|vgh|sg|lsg|fg|arbg|lag|verfgh|mahng|(amts|land|oberlandes|kammer|arbeits|landesarbeits|sozial|landessozial|verwaltungs|oberverwaltungs|finanz|verfassungs)gericht)(-|\d|$)/

/** In the domains of the judiciary, all other labels are courts. */
const prosecutorLabel =
  /^(sta|gsta|genst|gensta|staatsanwaltschaft|generalstaatsanwaltschaft|jva|jaa|lok|loj)/

/** Towns and districts have no common domain: the label shows what they are. */
const authorityLabel =
  /^(stadt|lra|landratsamt|landkreis|lk|kreis|gemeinde|markt|bezirk|samtgemeinde|vg|rak|polizei|finanzamt|jobcenter|jugendamt)-/

/** Local parts that only authorities use. */
const authorityMailbox =
  /^(poststelle|rathaus|stadtverwaltung|kreisverwaltung|(ordnungs|bau|jugend|sozial|standes|gesundheits|einwohnermelde|veterinaer|umwelt|grundbuch|rechts|steuer)amt|(auslaender|buss?geld|fuehrerschein)(behoerde|stelle))([.-]|$)/

const insuranceWord = /versicherung|assekuranz|rechtsschutz|krankenkasse|versicherer/

/** A SAFE-ID as the key of a sender. It never equals a mailbox. */
export function safeIdKey(safeId: string): string {
  return safeId.trim().toLowerCase()
}

/** Whether a key (`safeIdKey`) is of a lawyer or a lawyers' firm: their chamber gives these SAFE-IDs. */
export function isSafeIdOfLawyer(key: string): boolean {
  return /^de\.brak\w*\./.test(key)
}

const judiciarySafeId = new RegExp(`^${judiciarySafeIds}`)

/** Many courts still have a SAFE-ID of an older form. Authorities and citizens have such ids too. */
const olderSafeId = new RegExp(`^(${olderSafeIds})`)

/**
 * Authorities whose names may name a court: `Staatsanwaltschaft bei dem Landgericht`, `Jugendgerichtshilfe`. A
 * `Gerichtsvollzieher` is no court either (§ 154 GVG).
 */
const besideCourt = /(staats|amts)anwaltschaft|justizvollzug|gerichtshilfe|gerichtsvollzieher/i

const courtName = /gericht|finanzhof/i

const authorityName =
  /(?<!\p{L})((landeshaupt|kreis)?stadt|gemeinde|(land)?kreis|landratsamt|bezirks(amt|regierung)|regierungspräsidium|jobcenter|(bundes)?agentur für arbeit|polizei\p{L}*|finanzamt|hauptzollamt|jugendamt|\p{L}*ministerium|deutsche rentenversicherung)(?!\p{L})/iu

/** The kind of a sender with such a SAFE-ID. The name decides, if it shows the kind. */
function kindBySafeId(key: string, name: string): SenderKind | null {
  const isJudiciary = judiciarySafeId.test(key)
  if (!isJudiciary && !olderSafeId.test(key)) return null
  if (besideCourt.test(name)) return 'authority'
  if (courtName.test(name)) return 'court'
  if (authorityName.test(name)) return 'authority'
  return isJudiciary ? 'court' : null
}

/**
 * The kind of a sender, by its mailbox (`mailboxOf`) or SAFE-ID (`safeIdKey`) and its name; null if they do not show
 * it.
 */
export function senderKindOf(mailbox: string, name: string | null): SenderKind | null {
  if (!mailbox.includes('@')) return kindBySafeId(mailbox, name ?? '')
  const at = mailbox.lastIndexOf('@')
  const [local, host] = [mailbox.slice(0, at), mailbox.slice(at + 1)]
  const labels = host.split('.')
  for (let from = 0; from < labels.length - 1; from += 1) {
    const kind = rows.get(labels.slice(from).join('.'))
    if (kind === undefined) continue
    const label = labels[from - 1] ?? ''
    if (kind === 'judiciary')
      return prosecutorLabel.test(label === '' ? local : label) ? 'authority' : 'court'
    if (kind !== 'state') return kind
    if (label === '') break
    return courtLabel.test(label) ? 'court' : 'authority'
  }
  const owner = labels.at(-2) ?? ''
  if (authorityLabel.test(owner)) return 'authority'
  if (insuranceWord.test(owner)) return 'insurance'
  if (authorityMailbox.test(local)) return 'authority'
  return name !== null && /\b(\p{L}*versicherung(en)?|rechtsschutz|krankenkasse)\b/iu.test(name)
    ? 'insurance'
    : null
}

/**
 * The own domain of a court, or its SAFE-ID; null for other senders, and for a domain that all courts of a Land share.
 */
export function courtDomainOf(mailbox: string): string | null {
  if (!mailbox.includes('@')) return judiciarySafeId.test(mailbox) ? mailbox : null
  const domain = domainOf(mailbox)
  return senderKindOf(mailbox, null) !== 'court' || rows.get(domain) === 'judiciary' ? null : domain
}

export function domainOf(mailbox: string): string {
  return mailbox.slice(mailbox.lastIndexOf('@') + 1)
}
