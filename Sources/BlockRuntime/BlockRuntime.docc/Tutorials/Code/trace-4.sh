swift build --package-path Examples --product Thumbnails
Scripts/demo trace --count --sort wait -- Examples/.build/debug/Thumbnails
Scripts/demo trace -q --html calls.html -- Examples/.build/debug/Thumbnails
