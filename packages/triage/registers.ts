/**
 * Registerzeichen of German courts and prosecutors. The common ones were compared with published lists; the rare ones
 * are from memory and must be checked against the Aktenordnungen of the Länder and the collection Habersack, Anhang I.
 * A sign that does not exist does little harm: a reference files a message only if a case has learnt it before.
 */
const signs = [
  // Amtsgericht: civil, family, enforcement, insolvency, estates, guardianship, registers
  'B C H F FH FZ M J K L N IN IK IE IA AR II III IV VI VII VIII X XIV XVI XVII GR UR PR Lw XV',
  // Landgericht (`HKO` and `HKT`: Kammer für Handelssachen, also written `HK O`), Oberlandesgericht, BayObLG
  'O OH HKO HKT OJ S SH T TH U UH UF UFH W WF WLw Wx Z ZRR VAs Kart Verg EK SchH Sch MK KapMuG',
  // Criminal courts and prosecutors
  'Js UJs OJs BJs PLs Gs Ds Cs Ls Bs Bls Ks KLs Ns Qs Ss Ws OWi StVK StO BRs Rs Vollz VRJs VRs NZs Ausl ORs OLs OWs Ms',
  // Labour courts
  'Ca BV Ga BVGa Ba Sa SLa TaBV Ta TaBVGa GLa AZR AZN AZB ABR ABN ABZ GS',
  // Administrative courts, which also use K of the Amtsgericht
  'A AS CE CS ZB NE N D DB KE E V VB KT PB PL',
  // Social courts (subjects)
  'AL AS AY BA BK BL EG KG KR KA LW P R RA RS RJ SB SF SO SV U VE VG VH VK VM VS VU ZV EH SGB',
  // Fiscal courts, which also use K
  'Ko KO',
  // Bundesgerichtshof
  'ZR ZB ZA ARZ StR StE StB ARs AK BGs KZR KZB KVR KVZ EnVR EnVZ EnZR NotZ NotSt AnwZ AnwSt RiZ RiSt PatAnwZ StbSt WpSt BLw LwZR LwZB ZfU XZB GSZ',
  // Bundesverfassungsgericht and constitutional courts of the Länder
  'BvR BvL BvE BvF BvG BvQ BvB BvC BvN BvM PBvU VerfGH Vf VfGBbg',
  // Bundesverwaltungsgericht, Bundessozialgericht, Bundesfinanzhof, Bundespatentgericht
  'BN CN VR WB WD AV FG WRB Ni EP',
]

const known = new Set(signs.flatMap((row) => row.split(' ')))

/** Signs that stand without a chamber, department or senate. */
const alone = new Set(
  'XVII VerfGH NotZ NotSt AnwZ AnwSt RiZ RiSt PatAnwZ StbSt WpSt BLw LwZR LwZB KZR KZB KVR KVZ EnVR EnVZ EnZR StB AK'.split(
    ' ',
  ),
)

/** Whether it is a register sign, as it is written (`Js`, not `JS`). */
export function isRegister(sign: string): boolean {
  return known.has(sign)
}

/** Whether the sign needs no chamber, department or senate before it. */
export function standsAlone(sign: string): boolean {
  return alone.has(sign)
}

/** Signs of criminal courts, whose references end with the prosecutor's: `532 Ds 12 Js 345/26`. */
export function endsWithProsecutors(sign: string): boolean {
  return /^(Ds|Cs|Ls|Ks|KLs|Ns|Qs|Ss|Ws|Gs|OWi|Bs|StVK|ORs)$/.test(sign)
}
