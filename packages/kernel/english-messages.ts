import * as z from 'zod/mini'
import english from 'zod/v4/locales/en.js'

// What schemas say of a value that they refuse. Of itself the lean zod says only that it is invalid.
z.config(english())
