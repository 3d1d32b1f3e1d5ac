/** How long completing one envelope may take. */
export const sealWorkerSeconds = 300
