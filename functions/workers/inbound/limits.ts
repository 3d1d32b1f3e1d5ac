/** How long reading one mail, filing its attachments and judging it may take. */
export const inboundWorkerSeconds = 120
