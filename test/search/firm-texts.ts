import { random } from '#test/support/random.ts'

/** The words of a firm's texts, most frequent first: function words, forms of words, compounds, names. */
export function vocabulary(size: number, seed = 1): string[] {
  const chance = random(seed)
  const shuffled = (list: string[]) =>
    list
      .map((word) => ({ word, at: chance.below(1e9) }))
      .toSorted((one, other) => one.at - other.at)
      .map(({ word }) => word)
  const nouns = nounStems.map(capitalized)
  const forms = shuffled([...nouns.flatMap((noun) => [noun, `${noun}en`, `${noun}s`]), ...others])
  const compounds = new Set<string>()
  while (compounds.size < size / 2) {
    const parts = [
      chance.of(nounStems),
      chance.of(nounStems),
      ...(chance.below(4) === 0 ? [chance.of(nounStems)] : []),
    ]
    compounds.add(capitalized(parts.join(chance.below(2) === 0 ? 's' : '')) + chance.of(['', '', 'en', 's']))
  }
  const names = new Set<string>()
  while (names.size < size / 2)
    names.add(capitalized(Array.from({ length: 2 + chance.below(3) }, () => chance.of(syllables)).join('')))
  return [...grammar, ...forms, ...shuffled([...compounds, ...names])]
}

/** Writes texts with word frequencies by Zipf's law: pages of 300 words, with numbers, amounts and references. */
export function textWriter(words: readonly string[], seed = 2): (pages?: number) => string[] {
  const chance = random(seed)
  const number = chance.below
  const references = [
    () => `§ ${1 + number(900)}${chance.of(['', 'a', 'c'])} Abs. ${1 + number(4)} BGB`,
    () => `${1 + number(28)}.${1 + number(12)}.20${20 + number(7)}`,
    () => `${1 + number(99)}.${100 + number(900)},${10 + number(90)} EUR`,
    () => `${chance.of(['VII', 'IX', 'XII'])} ZR ${1 + number(400)}/${10 + number(17)}`,
    () => `${1 + number(2_000)}/${10 + number(17)}`,
    () => iban(Array.from({ length: 20 }, () => number(3)).join(''), chance.of(['', ' '])),
  ]
  const page = () => {
    let text = ''
    for (let at = 1; at <= 300; at += 1) {
      const rank = Math.floor(words.length ** (chance.below(1e9) / 1e9)) - 1
      text += at % 40 === 0 ? chance.of(references)() : (words[rank] ?? '')
      text += at % 13 === 0 ? '. ' : at % 9 === 0 ? '\n' : ' '
    }
    return text
  }
  return (pages = 2) => Array.from({ length: pages }, page)
}

/** An IBAN, in groups of four if the separator is a blank. */
const iban = (digits: string, separator: string) => `DE${digits}`.match(/.{1,4}/g)?.join(separator) ?? ''

const capitalized = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

const grammar =
  'der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde sei gegen vom kann gemäß soweit sofern hierzu bereits'.split(
    ' ',
  )

const nounStems =
  'vertrag miet kauf werk dienst arbeit gericht urteil klag frist termin recht anwalt mandant gegner zahlung forderung rechnung mahnung zins kosten streit wert gutachten schaden ersatz haftung versicherung unfall fahrzeug wohnung haus grund stück eigentum besitz nachbar bau mangel abnahme lieferung leistung gesellschaft anteil geschäft führer steuer bescheid behörde antrag widerspruch berufung beweis zeug protokoll verhandlung vergleich vollstreckung pfändung insolvenz verwalter erb testament nachlass unterhalt sorge scheidung ehe kind kündigung abfindung lohn gehalt urlaub zeugnis betrieb rat tarif straf verteidigung anklage haft akt einsicht vollmacht bürgschaft darlehen bank konto überweisung hypothek grundbuch notar urkund beglaubigung'.split(
    ' ',
  )

const others =
  'fristlos fristlose fristlosen ordentlich ordentliche schriftlich schriftlichen mündlich zulässig zulässige unzulässig begründet begründete unbegründet kündigen kündigt gekündigt zahlen zahlt gezahlt fordern fordert geltend machen gemacht beantragt beantragen bestreitet bestreiten bestritten vortragen vorgetragen erklärt erklären vereinbart vereinbaren geschuldet verpflichtet berechtigt rechtzeitig verspätet streitig unstreitig erheblich wirksam unwirksam außergerichtlich gerichtlich klägerisch beklagte klägerin kläger beklagten übersandt übersenden beigefügt anliegend höflich freundlichen grüßen geehrte herren damen'.split(
    ' ',
  )

const syllables =
  'ba be bi bo bu da de di do fa fe fi ga ge go ha he hi ka ke ko la le li lo ma me mi mo na ne ni no pa pe po ra re ri ro sa se si so ta te ti to wa we wi za ze zi mann berg stein hof bach feld'.split(
    ' ',
  )
