/** The input of a new case of the bench. */
export type CaseDraft = {
  name: string
  status: 'active' | 'closed' | 'archived'
  type: string
  dezernat: string
  description: string
}

/** A word in three of the first thousand names and in no other name. */
export const rareSurname = 'Xylander'

/** A word in every twelfth name, and in two of the three names with the rare word. */
export const longCommonWord = 'Erbauseinandersetzung'
const rareAt = new Set([100, 400, 700])

/** The case of this number, from 0 on. The names look like names of a German firm's cases, the same in every run. */
export function caseDraft(at: number): CaseDraft {
  const random = randomNumbers(at + 1)
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value
  const surname = () => pick(random() < 0.4 ? frequentSurnames : surnames)
  const organization = () => `${surname()} ${pick(trades)} ${pick(legalForms)}`
  const side = () => (random() < 0.3 ? organization() : surname())

  const client = rareAt.has(at) ? rareSurname : side()
  const matter = pick(matters)
  const name = random() < 0.85 ? `${client} ./. ${side()} wegen ${matter}` : `${matter} ${client}`
  const share = random()
  return {
    name,
    status: share < 0.7 ? 'active' : share < 0.95 ? 'closed' : 'archived',
    type: pick(types),
    dezernat: pick(dezernate),
    description: `${matter}: Mandat vom ${1 + Math.floor(random() * 28)}. März, Streitwert ${1_000 + Math.floor(random() * 90_000)} Euro.`,
  }
}

/** Mulberry32: a small generator with the same numbers on every machine. */
function randomNumbers(seed: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const frequentSurnames = [
  'Müller',
  'Schmidt',
  'Schneider',
  'Fischer',
  'Weber',
  'Meyer',
  'Wagner',
  'Becker',
  'Schulz',
  'Hoffmann',
]
const surnames = (
  'Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange ' +
  'Schmitt Werner Schmitz Krause Meier Lehmann Schmid Schulze Maier Köhler Herrmann König Walter Mayer Huber ' +
  'Kaiser Fuchs Peters Lang Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Frank Berger ' +
  'Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus Martin Schumacher ' +
  'Krämer Vogt Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf Dietrich Ziegler Kuhn ' +
  'Kühn Pohl Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer Sander Yılmaz Kowalski Nowak ' +
  'Freiherr-von-Stetten Meyer-Landrut Schulze-Brandenburg Öztürk Großmann Süß'
).split(' ')
const trades = [
  'Bau',
  'Elektrotechnik',
  'Immobilien',
  'Logistik',
  'Maschinenbau',
  'Pflegedienst',
  'Handels',
  'Metallbau',
]
const legalForms = ['GmbH', 'GmbH & Co. KG', 'AG', 'OHG', 'GmbH']
const matters = [
  'Kaufpreis',
  'Werklohn',
  'Mietrückstand',
  'Mietminderung',
  'Kündigungsschutz',
  'Verkehrsunfall',
  'Erbauseinandersetzung',
  'Ehescheidung',
  'Räumung',
  'Mietkaution',
  'Gewährleistung',
  'Unterlassung',
]
const types = ['litigation', 'advice', 'contract']
const dezernate = ['Zivilrecht', 'Arbeitsrecht', 'Mietrecht', 'Familienrecht', 'Verkehrsrecht']
