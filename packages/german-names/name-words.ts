/** Words in names that identify nobody, in folded form (`fold`). */

/** Titles, degrees, professions and forms of address. */
export const titles = words(
  'dr drs prof professor professorin doktor pd priv doz dipl diplom ing kfm kffr oec med dent vet jur iur rer nat pol',
  'phil theol techn habil hc mult ra rain rechtsanwalt rechtsanwaeltin notar notarin stb steuerberater steuerberaterin',
  'wp mag magister llm mba msc bsc mla herr herrn frau fraeulein hr fr frl familie fam eheleute firma fa nachlass',
)

/** Particles in names of persons. */
export const nameParticles = words('von vom zu zum zur und van der den des')

/** Articles, conjunctions and prepositions in names of firms. */
export const functionWords = words(
  'und u fuer der die das des dem den von vom zu zum zur in im am an the of and',
)

/** Words that may be missing from one of two matching names, such as titles of nobility, `jun` and `inh`. */
export const weakWords = words(
  'graf graefin freiherr freifrau freiin baron baronin prinz prinzessin fuerst fuerstin herzog herzogin ritter edler',
  'sen senior jun junior jr sr de del della di da dos du la le el al bin ibn ter ten nachf inh inhaber inhaberin sa',
  'spa',
)

/** Legal forms in one word, without dots: `ekfm` for `e. Kfm.` */
export const legalForms = words(
  'gmbh ggmbh mbh gesmbh ag gag kg kgaa ohg og gbr gdbr bgb ug haftungsbeschraenkt se ev eg ek ekfm ekfr egbr partg',
  'partgmbb mbb co cie scs inc ltd limited llc llp plc corp sarl srl bv nv kft doo sro vvag kdoer adoer',
  'il ig igr',
)

/** The capacity in which somebody acts, at the end of a name: `als Insolvenzverwalter …`, `vertreten durch …`. */
export const capacity =
  /(?<![ ,])[ ,]+(als \w*(verwalter|vollstrecker|betreuer|pfleger|vormund|liquidator|abwickler)(in)?|vertreten durch)\b.*$/

/** The beginning of an addition to the name of a person, such as `Erben`, `verst.`, `c/o …` or `vertr. d. …`. */
export const addition =
  /(?<![ ,])[ ,]+(?:erben|erbengem|erbengemeinschaft|verst|verstorben|c-o|z\. ?hd?|zhd?|zu hd|zu haenden|p\. ?a|vertr)(?![\p{L}\p{N}])\.?/gu

/**
 * Legal forms in several words, and abbreviations with dots, each with its short form. A phrase comes before the
 * phrases that it contains.
 */
export const legalPhrases: [phrase: RegExp, form: string][] = [
  [/\bgemeinnuetzige gesellschaft mit beschraenkter haftung\b/, 'ggmbh'],
  [/\bgesellschaft mit beschraenkter haftung\b/, 'gmbh'],
  [/\bmit beschraenkter (berufs)?haftung\b/, 'mbh'],
  [/\bgesellschaft des? ?buergerlichen rechts\b/, 'gbr'],
  [/\bgesellschaft buergerlichen rechts\b/, 'gbr'],
  [/\bkommanditgesellschaft auf aktien\b/, 'kgaa'],
  [/\baktiengesellschaft\b/, 'ag'],
  [/\bkommanditgesellschaft\b/, 'kg'],
  [/\bunternehmergesellschaft\b/, 'ug'],
  [/\bpartnerschaftsgesellschaft\b/, 'partg'],
  [/\boffene handelsgesellschaft\b/, 'ohg'],
  [/\beingetragener verein\b/, 'ev'],
  [/\beingetragene genossenschaft\b/, 'eg'],
  [/\beingetragene[r]? kauf(mann|frau)\b/, 'ek'],
  [/\be\. ?kf[mr]\b\.?/, 'ek'],
  [/(?<=[^,] )s\. ?a\.? ?r\. ?l\b\.?$/, 'sarl'],
  [/(?<=[^,] )s\. ?(p\. ?)?a\.$/, 'sa'],
  [/\b(koerperschaft|anstalt) des oeffentlichen rechts\b/, 'kdoer'],
  [/\bin (liquidation|gruendung|insolvenz)\b/, 'il'],
]

function words(...lines: string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}
