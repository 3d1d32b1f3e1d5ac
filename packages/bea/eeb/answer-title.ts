/** The title of every receipt (eEB) that is sent. */
export const answerTitle = 'Empfangsbekenntnis'
