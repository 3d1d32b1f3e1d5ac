/** How long a send may take: as long as a Lambda may run. The gateway takes up to 400 seconds for a call. */
export const beaSendSeconds = 900
