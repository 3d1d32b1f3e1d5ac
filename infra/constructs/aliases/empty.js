/** Stands in for a module that a dependency loads and our functions never use. */
export {}
