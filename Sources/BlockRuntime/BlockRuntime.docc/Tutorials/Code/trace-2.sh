swift build --package-path Examples --product Thumbnails
Scripts/demo trace --count --sort wait -- Examples/.build/debug/Thumbnails
