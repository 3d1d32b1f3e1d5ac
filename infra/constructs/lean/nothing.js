/** In the place of what a dependency asks for and our functions never use. */
export {}
