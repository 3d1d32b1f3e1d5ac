import type { ChangingReason } from '#formats/changing-reasons.ts'
import type { SigningLanguage } from './consent.ts'

/** Why a PDF is attached to its certificate unchanged, as far as that is known when the envelope is created (S11). */
export type UnmergedReason = ChangingReason | 'damaged' | 'too_complex'

/** The reasons in words, for signers and certificates. */
export const unmergedWords: Record<SigningLanguage, Record<UnmergedReason, string>> = {
  de: {
    differs_on_paper: 'Teile davon stehen nur auf dem Bildschirm oder nur auf Papier.',
    drawn_by_reader: 'Felder oder Notizen darin zeigt jedes Programm anders an.',
    acts: 'Es enthält Programme oder Befehle, die es verändern können.',
    layers: 'Es hat Ebenen, die sich ein- und ausblenden lassen.',
    external_parts: 'Teile davon liegen außerhalb der Datei.',
    media: 'Es enthält Filme, Töne, Modelle oder eine Sammlung von Dateien.',
    dynamic_form: 'Es ist ein Formular, dessen Seiten erst beim Öffnen entstehen.',
    damaged: 'Seine Datei entspricht nicht den Regeln ihres Formats.',
    too_complex: 'Es ist zu umfangreich, um ergänzt zu werden.',
  },
  en: {
    differs_on_paper: 'Parts of it appear only on screen or only on paper.',
    drawn_by_reader: 'It has fields or notes that each program shows differently.',
    acts: 'It contains programs or commands that can change it.',
    layers: 'It has layers that can be shown and hidden.',
    external_parts: 'Parts of it are outside the file.',
    media: 'It contains films, sounds, models or a collection of files.',
    dynamic_form: 'It is a form whose pages are created only when it is opened.',
    damaged: 'Its file breaks the rules of its format.',
    too_complex: 'It is too large to be extended.',
  },
}
